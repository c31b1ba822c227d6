export { Bio as default } from '../../features/company/bio'
