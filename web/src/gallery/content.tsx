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
    page: {
      'heading, text, badge': (
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
  },
  CardPage: {
    page: {
      'two cards': (
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
  },
  ResultActions: {
    wide: {
      'two buttons': (
        <ResultActions>
          <Button>{paymentSuccess.app}</Button>
          <Button variant="secondary">{paymentSuccess.account}</Button>
        </ResultActions>
      ),
    },
  },
  ResultFacts: {
    wide: {
      'three facts': (
        <ResultFacts
          facts={[
            [paymentSuccess.plan, 'Elite Nível 2'],
            [paymentSuccess.interval, 'Anual'],
            [paymentSuccess.price, 'R$ 1.187,40'],
          ]}
        />
      ),
    },
  },
  CheckList: { states: { 'three lines': <CheckList items={promises} /> } },
  NextSteps: { wide: { 'three steps': <NextSteps /> } },
  Faq: {
    wide: {
      'with what stands aside': (
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
  },
  SocialLinks: { dark: { 'on a dark ground': <SocialLinks /> } },
} satisfies Parts
