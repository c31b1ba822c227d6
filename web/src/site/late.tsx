import { paths } from '../lib/paths'
import { brand } from '../texts/brand'
import { plansNeedScript, late as texts } from '../texts/site'
import { ButtonLink } from '../ui/button'
import { EmptySieve } from '../ui/empty-sieve'
import { Notice } from '../ui/notice'
import { PageLoading } from '../ui/spinner'

/**
 * Beside the empty root of a client-rendered page: that it is coming, and after a while how to go on. Only the build
 * renders it, and styles/base.css shows it, since the scripts are what may be missing.
 */
export function LatePage() {
  return (
    <>
      <noscript className="late-instead">
        <main className="late-page">
          <Notice art={<EmptySieve />} title={texts.off} text={texts.offText}>
            <ReloadLinks />
          </Notice>
        </main>
      </noscript>
      <div className="late-wait">
        <PageLoading />
      </div>
      <main className="late late-page">
        <Notice art={<EmptySieve />} title={texts.title} text={texts.text}>
          <ReloadLinks />
        </Notice>
      </main>
    </>
  )
}

function ReloadLinks() {
  return (
    <>
      {/* The empty address is the page's own, query and all. */}
      <ButtonLink href="">{texts.reload}</ButtonLink>
      <ButtonLink href={paths.home} variant="secondary">
        {texts.home}
      </ButtonLink>
    </>
  )
}

/** Under a prerendered page, which reads well without its scripts but does nothing; `plans` there are chosen by buttons. */
export function LateBar({ plans }: { plans: boolean }) {
  return (
    <aside className="late late-bar" aria-label={texts.title}>
      <span>{plans ? texts.plansBar : texts.bar}</span>
      <ButtonLink href="" size="sm" variant="light">
        {texts.reload}
      </ButtonLink>
      {plans && (
        <p>
          <span>{plansNeedScript.ask}</span> <a href={`mailto:${brand.email}`}>{brand.email}</a>{' '}
          <span>·</span> <a href={brand.links.help_center}>{plansNeedScript.help}</a>
        </p>
      )}
    </aside>
  )
}
