import { anchors } from '../../../lib/paths'
import FeatureList from '../home/feature-list'
import { Pains } from '../home/pains'
import { SolutionCarousel } from './solution-carousel'
import { Solutions } from './solutions'
import styles from './solutions-section.module.css'

/**
 * Five features and the tabbed carousel of three. On the home page and, as its main part, on
 * /solucoes.
 */
export function SolutionsSection({ page = false }: { page?: boolean }) {
  return (
    <section className={styles.solutions} id={anchors.solutions} aria-labelledby="solutions-title">
      <Solutions heading={page ? 'h1' : 'h2'} />
      <SolutionCarousel heading={page ? 'h2' : 'h3'} />
    </section>
  )
}

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
