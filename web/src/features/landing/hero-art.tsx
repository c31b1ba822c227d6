import { PostDemo } from './post-demo'
import { SieveArt } from './sieve-art'

/** The sieve and the post that comes out of it. */
export default function HeroArt() {
  return (
    <>
      <SieveArt />
      <PostDemo />
    </>
  )
}
