import { MONTH } from '../catalog/intervals'
import { periodChoice } from '../catalog/selected-plan'
import { brand } from '../texts/brand'
import { signUp } from '../texts/sign-up'
import { header, managePlan } from '../texts/site'
import { Button, ButtonLink } from '../ui/button'
import { FinishPurchase } from '../ui/finish-purchase'
import { Link } from '../ui/link'
import { NewTabLink } from '../ui/new-tab-link'
import styles from './gallery.module.css'
import type { Parts } from './parts'

const plan = (planId: string) => periodChoice(planId, MONTH, 197_90, null)

export const actions = {
  Button: {
    states: {
      primary: <Button>{signUp.submit}</Button>,
      secondary: <Button variant="secondary">Ver planos</Button>,
      quiet: <Button variant="quiet">Agora não</Button>,
      danger: <Button variant="danger">Excluir minha conta</Button>,
      busy: <Button busy>{signUp.submitting}</Button>,
      'busy, secondary': (
        <Button busy variant="secondary">
          Abrindo...
        </Button>
      ),
      disabled: <Button disabled>{signUp.submit}</Button>,
      'aria-disabled': <Button aria-disabled>{signUp.submit}</Button>,
    },
    dark: {
      gold: <Button variant="gold">Ver oferta</Button>,
      light: <Button variant="light">Desfazer</Button>,
    },
    wide: {
      'sizes: sm, md, lg': (
        <div className={styles.row}>
          <Button size="sm">{signUp.submit}</Button>
          <Button>{signUp.submit}</Button>
          <Button size="lg">{signUp.submit}</Button>
        </div>
      ),
      wide: (
        <Button wide size="lg">
          {signUp.submit}
        </Button>
      ),
    },
  },
  ButtonLink: {
    states: {
      'within the site': <ButtonLink to="/planos">{header.plans}</ButtonLink>,
      'to another site, secondary': (
        <ButtonLink href={brand.socials[0]?.url} variant="secondary">
          {header.help}
        </ButtonLink>
      ),
      'small, quiet': (
        <ButtonLink to="/area-usuario" size="sm" variant="quiet">
          {header.account}
        </ButtonLink>
      ),
    },
  },
  NewTabLink: {
    states: {
      secondary: (
        <NewTabLink href="/planos" variant="secondary">
          {managePlan}
        </NewTabLink>
      ),
    },
  },
  Link: {
    states: {
      'at rest': <Link to="/planos">Ver planos</Link>,
      // Faded for a moment only. axe measures no contrast of a disabled element.
      'followed, its page is loading': (
        <Link to="/planos" data-followed aria-disabled>
          Ver planos
        </Link>
      ),
    },
  },
  FinishPurchase: {
    wide: {
      'payment known': <FinishPurchase plan={plan('elite_nivel_2')} />,
      'payment not known': <FinishPurchase plan={plan('top_afiliado')} />,
      secondary: <FinishPurchase plan={plan('top_afiliado')} variant="secondary" />,
    },
  },
} satisfies Parts
