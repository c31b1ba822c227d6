import { PostCard } from './post-card'
import { SieveArt } from './sieve-art'

/** The sieve and the post that comes out of it. */
export default function HeroArt() {
  return (
    <>
      <SieveArt />
      <PostCard />
    </>
  )
}
