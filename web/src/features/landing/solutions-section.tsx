import { anchors } from '../../lib/paths'
import { staticPart } from '../../lib/static-part'
import { SolutionCarousel } from './solution-carousel'
import styles from './solutions-section.module.css'

const Cards = staticPart(() => import('./solutions'))
const CardsOfPage = staticPart(async () => {
  const { Solutions } = await import('./solutions')
  return { default: () => <Solutions heading="h1" /> }
})

/** Five feature cards and the tabbed carousel of three. On the home page and, as its main part, on /solucoes. */
export function SolutionsSection({ page = false }: { page?: boolean }) {
  return (
    <section className={styles.solutions} id={anchors.solutions} aria-labelledby="solutions-title">
      {page ? <CardsOfPage /> : <Cards />}
      <SolutionCarousel heading={page ? 'h2' : 'h3'} />
    </section>
  )
}
