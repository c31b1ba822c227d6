import { useEffect } from 'react'
import { paths } from '../../lib/paths'
import { notFound } from '../../texts/not-found'
import { ButtonLink } from '../../ui/button'
import { Notice } from '../../ui/notice'
import { Sieve } from '../../ui/sieve'

/** '404', 'Oops! Page not found', a link home; the address is logged as an error. */
export function NotFound() {
  useEffect(() => console.error(notFound.logged, location.pathname), [])
  return (
    <Notice
      art={<Sieve width={180} />}
      mark={notFound.mark}
      lang="en"
      title={notFound.title}
      text={notFound.text}
    >
      <ButtonLink to={paths.home}>{notFound.home}</ButtonLink>
      <ButtonLink to={paths.plans} variant="secondary">
        {notFound.plans}
      </ButtonLink>
    </Notice>
  )
}
