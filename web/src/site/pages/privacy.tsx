export { default } from '../../features/company/privacy'
