import { useRef } from 'react'
import { anchors } from '../../lib/paths'
import { staticPart } from '../../lib/static-part'
import { LateDrawings } from './late-drawings'
import { SolutionCarousel } from './solution-carousel'
import styles from './solutions-section.module.css'

const Cards = staticPart(() => import('./solutions'))
/** There the first drawing is in the first screen. */
const CardsOfPage = staticPart(async () => {
  const [{ Solutions }, { solutionArt }] = await Promise.all([
    import('./solutions'),
    import('./solution-art'),
  ])
  return { default: () => <Solutions heading="h1" art={solutionArt} /> }
})

/** Five feature cards and the tabbed carousel of three. On the home page and, as its main part, on /solucoes. */
export function SolutionsSection({ page = false }: { page?: boolean }) {
  const section = useRef<HTMLElement>(null)
  return (
    <section
      ref={section}
      className={styles.solutions}
      id={anchors.solutions}
      aria-labelledby="solutions-title"
    >
      {page ? <CardsOfPage /> : <Cards />}
      <SolutionCarousel heading={page ? 'h2' : 'h3'} />
      <LateDrawings within={section} />
    </section>
  )
}
