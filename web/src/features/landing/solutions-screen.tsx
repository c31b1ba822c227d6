import { staticPart } from '../../lib/static-part'
import { Pains } from './pains'
import { SolutionsSection } from './solutions-section'

const FeatureList = staticPart(() => import('./feature-list'))

/** The solutions section as a page, every feature by name, and what it all is a solution to. */
export function SolutionsScreen() {
  return (
    <>
      <SolutionsSection page />
      <FeatureList />
      <Pains />
    </>
  )
}
