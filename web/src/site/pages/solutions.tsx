export { SolutionsScreen as default } from '../../features/landing/solutions-screen'
