export { default } from '../../features/company/terms'
