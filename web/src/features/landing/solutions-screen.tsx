import { staticPart } from '../../lib/static-part'
import { Pains } from './pains'
import { SolutionsSection } from './solutions-section'

const FeatureList = staticPart(() => import('./feature-list'))

/** The solutions section as a page, the pains that it answers, every feature by name, and where to get help. */
export function SolutionsScreen() {
  return (
    <>
      <SolutionsSection page />
      <Pains />
      <FeatureList />
    </>
  )
}
