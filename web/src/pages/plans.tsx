import { PlansScreen } from '../features/plans/plans-screen'

export default function PlansPage() {
  return <PlansScreen />
}
