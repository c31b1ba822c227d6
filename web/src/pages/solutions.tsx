import { SolutionsScreen } from '../features/landing/solutions-screen'

export default function SolutionsPage() {
  return <SolutionsScreen />
}
