import { brand } from '../texts/brand'
import { signUp } from '../texts/sign-up'
import { header, managePlan } from '../texts/site'
import { Button, ButtonLink } from '../ui/button'
import { FinishPurchase } from '../ui/finish-purchase'
import { Link } from '../ui/link'
import { NewTabLink } from '../ui/new-tab-link'
import styles from './gallery.module.css'
import type { Parts } from './parts'

const plan = (planId: string) =>
  ({
    planId,
    price: 'R$ 197,90',
    period: '/mês',
    priceRaw: '197.90',
    interval: 'month',
    couponCode: null,
    couponId: null,
  }) as const

export const actions = {
  Button: {
    use: 'One primary button a page. While it is busy or off by aria-disabled it keeps the focus.',
    samples: [
      { state: 'primary', content: <Button>{signUp.submit}</Button> },
      { state: 'secondary', content: <Button variant="secondary">Ver planos</Button> },
      { state: 'quiet', content: <Button variant="quiet">Agora não</Button> },
      { state: 'danger', content: <Button variant="danger">Excluir minha conta</Button> },
      {
        state: 'gold, on a dark ground',
        ground: 'inverse',
        content: <Button variant="gold">Ver oferta</Button>,
      },
      {
        state: 'light, on a dark ground',
        ground: 'inverse',
        content: <Button variant="light">Desfazer</Button>,
      },
      { state: 'busy', content: <Button busy>{signUp.submitting}</Button> },
      {
        state: 'busy, secondary',
        content: (
          <Button busy variant="secondary">
            Abrindo...
          </Button>
        ),
      },
      { state: 'disabled', content: <Button disabled>{signUp.submit}</Button> },
      { state: 'aria-disabled', content: <Button aria-disabled>{signUp.submit}</Button> },
      {
        state: 'sizes: sm, md, lg',
        wide: true,
        content: (
          <div className={styles.row}>
            <Button size="sm">{signUp.submit}</Button>
            <Button>{signUp.submit}</Button>
            <Button size="lg">{signUp.submit}</Button>
          </div>
        ),
      },
      {
        state: 'wide',
        wide: true,
        content: (
          <Button wide size="lg">
            {signUp.submit}
          </Button>
        ),
      },
    ],
  },
  ButtonLink: {
    use: 'A link that looks like a button.',
    samples: [
      { state: 'within the site', content: <ButtonLink to="/planos">{header.plans}</ButtonLink> },
      {
        state: 'to another site, secondary',
        content: (
          <ButtonLink href={brand.socials[0]?.url} variant="secondary">
            {header.help}
          </ButtonLink>
        ),
      },
      {
        state: 'small, quiet',
        content: (
          <ButtonLink to="/area-usuario" size="sm" variant="quiet">
            {header.account}
          </ButtonLink>
        ),
      },
    ],
  },
  NewTabLink: {
    use: 'Says to screen readers that it opens another tab.',
    samples: [
      {
        state: 'secondary',
        content: (
          <NewTabLink href="/planos" variant="secondary">
            {managePlan}
          </NewTabLink>
        ),
      },
    ],
  },
  Link: {
    use: 'A link within the site, in running text.',
    samples: [
      { state: 'at rest', content: <Link to="/planos">Ver planos</Link> },
      {
        state: 'followed, its page is loading',
        // Faded for a moment only: axe measures no contrast of what is disabled.
        content: (
          <Link to="/planos" data-followed aria-disabled>
            Ver planos
          </Link>
        ),
      },
    ],
  },
  FinishPurchase: {
    use: 'Resumes a stored choice, with the first payment that its checkout asks for.',
    samples: [
      { state: 'payment known', wide: true, content: <FinishPurchase plan={plan('elite_nivel_2')} /> },
      { state: 'payment not known', wide: true, content: <FinishPurchase plan={plan('top_afiliado')} /> },
      {
        state: 'secondary',
        wide: true,
        content: <FinishPurchase plan={plan('top_afiliado')} variant="secondary" />,
      },
    ],
  },
} satisfies Parts
