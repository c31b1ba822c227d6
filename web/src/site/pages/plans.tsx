export { PlansScreen as default } from '../../features/plans/plans-screen'
