import { plansFaq } from '../texts/plans-faq'
import { paymentSuccess } from '../texts/results'
import { Button } from '../ui/button'
import { Card, CardPage } from '../ui/card'
import { CheckList } from '../ui/check-list'
import { Faq } from '../ui/faq'
import { NextSteps } from '../ui/next-steps'
import { ResultActions, ResultFacts } from '../ui/result'
import { SocialLinks } from '../ui/social-links'
import styles from './gallery.module.css'
import type { Parts } from './parts'

const promises = ['Cancele quando quiser', 'Garantia de 7 dias', 'Suporte por WhatsApp']

export const content = {
  Card: {
    use: 'A raised surface.',
    samples: [
      {
        state: 'heading, text, badge',
        ground: 'page',
        wide: true,
        content: (
          <Card aria-label="Assinatura">
            <div className={styles.column}>
              <p className={styles.name}>Assinatura</p>
              <p className="quiet">Elite Nível 2, renova em 12 de janeiro.</p>
              <p>
                <span className={styles.badge}>Ativa</span>
              </p>
            </div>
          </Card>
        ),
      },
    ],
  },
  CardPage: {
    use: 'The ground of a page that is one column of cards.',
    samples: [
      {
        state: 'two cards',
        ground: 'page',
        wide: true,
        content: (
          <CardPage className={styles.cardPage}>
            <Card aria-label="Plano">
              <p>Plano</p>
            </Card>
            <Card aria-label="Faturas">
              <p>Faturas</p>
            </Card>
          </CardPage>
        ),
      },
    ],
  },
  ResultActions: {
    use: 'Buttons of a result, side by side where there is room.',
    samples: [
      {
        state: 'two buttons',
        wide: true,
        content: (
          <ResultActions>
            <Button>{paymentSuccess.app}</Button>
            <Button variant="secondary">{paymentSuccess.account}</Button>
          </ResultActions>
        ),
      },
    ],
  },
  ResultFacts: {
    use: 'Facts of a result, one a line.',
    samples: [
      {
        state: 'three facts',
        wide: true,
        content: (
          <ResultFacts
            facts={[
              [paymentSuccess.plan, 'Elite Nível 2'],
              [paymentSuccess.interval, 'Anual'],
              [paymentSuccess.price, 'R$ 1.187,40'],
            ]}
          />
        ),
      },
    ],
  },
  CheckList: {
    use: 'Lines that are all true.',
    samples: [{ state: 'three lines', content: <CheckList items={promises} /> }],
  },
  NextSteps: {
    use: 'What to do first in the app.',
    samples: [{ state: 'three steps', wide: true, content: <NextSteps /> }],
  },
  Faq: {
    use: 'Questions and answers under their heading. One is open at a time.',
    samples: [
      {
        state: 'with what stands aside',
        wide: true,
        content: (
          <Faq
            name="gallery-faq"
            title={plansFaq.title}
            items={Object.entries(plansFaq.items)
              .slice(0, 3)
              .map(([question, answer]) => ({ question, answer }))}
            aside={<a href="#content">Central de Ajuda</a>}
          />
        ),
      },
    ],
  },
  SocialLinks: {
    use: 'Line drawings, not the platforms’ logos. For dark grounds.',
    samples: [{ state: 'on a dark ground', ground: 'inverse', content: <SocialLinks /> }],
  },
} satisfies Parts
