import { Suspense } from 'react'
import { Outlet } from 'react-router-dom'
import { staticPart } from '../../lib/static-part'
import { site } from '../../texts/site'
import { PageLoading } from '../../ui/spinner'
import type { Route } from '../routes'
import { Header } from './header'
import styles from './layout.module.css'

const CONTENT = 'conteudo'
const Footer = staticPart(() => import('./footer'))

/** What stands around every page. `bare` pages hide the shared header and footer. */
export function Layout({ frame }: { frame: Route['frame'] }) {
  return (
    <>
      {frame === 'site' && (
        <>
          <a className={styles.skip} href={`#${CONTENT}`}>
            {site.skip}
          </a>
          <Header />
        </>
      )}
      <main className={styles.main} id={CONTENT}>
        <Suspense fallback={<PageLoading />}>
          <Outlet />
        </Suspense>
      </main>
      {frame === 'site' && <Footer />}
    </>
  )
}
