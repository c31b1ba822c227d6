import FeatureList from '../home/feature-list'
import { Pains } from '../home/pains'
import { SolutionsSection } from './solutions-section'

/**
 * The solutions section as a page, the pains that it answers, every feature by name, and where to
 * get help.
 */
export function SolutionsScreen() {
  return (
    <>
      <SolutionsSection page />
      <Pains />
      <FeatureList />
    </>
  )
}
