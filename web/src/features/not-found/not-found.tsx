import { useEffect } from 'react'
import { paths } from '../../lib/paths'
import { notFound } from '../../texts/not-found'
import { ButtonLink } from '../../ui/button'
import { EmptySieve } from '../../ui/empty-sieve'
import { Notice } from '../../ui/notice'

/** '404', 'Oops! Page not found', a link home; the address is logged as an error. */
export function NotFound() {
  useEffect(() => console.error(notFound.logged, location.pathname), [])
  return (
    <Notice art={<EmptySieve />} mark={notFound.mark} lang="en" title={notFound.title} text={notFound.text}>
      <ButtonLink to={paths.home}>{notFound.home}</ButtonLink>
      <ButtonLink to={paths.plans} variant="secondary">
        {notFound.plans}
      </ButtonLink>
    </Notice>
  )
}
