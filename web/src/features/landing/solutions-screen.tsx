import { staticPart } from '../../lib/static-part'

const Content = staticPart(async () => {
  const { Solutions } = await import('./solutions')
  return { default: () => <Solutions heading="h1" /> }
})
const Pains = staticPart(() => import('./pains'))

/** The solutions section as a page, and what it is a solution to. */
export function SolutionsScreen() {
  return (
    <>
      <Content />
      <Pains />
    </>
  )
}
