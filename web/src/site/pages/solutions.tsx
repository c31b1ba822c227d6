export { SolutionsScreen as default } from '../../features/landing/solutions/solutions-section'
