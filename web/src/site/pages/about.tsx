export { default } from '../../features/company/about'
