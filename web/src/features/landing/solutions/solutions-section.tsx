import { anchors } from '../../../lib/paths'
import { SolutionCarousel } from './solution-carousel'
import { Solutions } from './solutions'
import styles from './solutions-section.module.css'

/**
 * Five feature cards and the tabbed carousel of three. On the home page and, as its main part, on
 * /solucoes.
 */
export function SolutionsSection({ page = false }: { page?: boolean }) {
  return (
    <section className={styles.solutions} id={anchors.solutions} aria-labelledby="solutions-title">
      <div>
        <Solutions heading={page ? 'h1' : 'h2'} />
      </div>
      <SolutionCarousel heading={page ? 'h2' : 'h3'} />
    </section>
  )
}
