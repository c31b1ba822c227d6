import { type ComponentProps, useEffect, useState } from 'react'
import { type Toast, useShownToasts, useToasts } from '../lib/toasts'
import { login } from '../texts/login'
import { paymentAwaited, paymentCanceled, paymentSuccess } from '../texts/results'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { Form } from '../ui/form'
import { Notice } from '../ui/notice'
import { Result, ResultActions, ResultFacts } from '../ui/result'
import { Sieve } from '../ui/sieve'
import { PageLoading } from '../ui/spinner'
import { TextArea } from '../ui/text-area'
import ToastRegion from '../ui/toast'
import styles from './gallery.module.css'
import type { Parts } from './parts'
import { subscription } from './subscription'

const leave = {
  submit: 'Cancelar assinatura',
  submitting: 'Cancelando...',
  back: 'Manter assinatura',
}

export const screens = {
  Dialog: {
    frame: 520,
    states: {
      card: (
        <OpenDialog title="Trocar de plano?">
          <p>Seu plano muda agora, e a diferença entra na próxima fatura.</p>
          <div className="actions">
            <Button variant="quiet">Agora não</Button>
            <Button>Trocar de plano</Button>
          </div>
        </OpenDialog>
      ),
      'card with a form that cannot be undone': (
        <OpenDialog title="Cancelar assinatura">
          <LeaveForm />
        </OpenDialog>
      ),
      'locked, its form is busy': (
        <OpenDialog title="Cancelar assinatura" locked>
          <LeaveForm busy />
        </OpenDialog>
      ),
      overlay: (
        <OpenDialog title="Seu checkout abriu em outra aba" look="overlay">
          <p>Termine o pagamento lá. Esta página segue sozinha.</p>
          <Button variant="secondary">Abrir de novo</Button>
        </OpenDialog>
      ),
    },
  },
  ToastRegion: {
    frame: 280,
    states: {
      success: <ShownMessage kind="success" title={login.success} />,
      error: <ShownMessage kind="error" title={site.unheard.title} description={site.unheard.text} />,
      info: <ShownMessage kind="info" title="Você saiu da conta" description="Até a próxima." />,
      'with actions': (
        <ShownMessage
          kind="info"
          title="Pagamento aberto em outra aba"
          description="Ela foi bloqueada pelo navegador?"
          actions={[
            { label: 'Cancelar', onSelect: () => undefined },
            { label: 'Abrir de novo', onSelect: () => undefined },
          ]}
        />
      ),
    },
  },
  Notice: {
    frame: 520,
    states: {
      'with a drawing': (
        <Notice art={<Sieve width={180} />} title={site.broken.title} text={site.broken.text}>
          <Button>{site.broken.reload}</Button>
        </Notice>
      ),
      'with a mark': (
        <Notice
          mark="404"
          title="Nada passou por esta peneira"
          text="O endereço não existe ou mudou de lugar."
        >
          <Button>Ir para o início</Button>
          <Button variant="secondary">Ver planos</Button>
        </Notice>
      ),
    },
  },
  Result: {
    frame: 640,
    states: {
      'nugget: it is done': (
        <Result mark="nugget" title={paymentSuccess.title} text={paymentSuccess.text}>
          <ResultFacts
            facts={[
              [paymentSuccess.plan, 'Elite Nível 2'],
              [paymentSuccess.interval, 'Anual'],
              [paymentSuccess.price, 'R$ 1.187,40'],
            ]}
          />
          <ResultActions>
            <Button>{paymentSuccess.app}</Button>
            <Button variant="secondary">{paymentSuccess.account}</Button>
          </ResultActions>
        </Result>
      ),
      'slip: the boleto waits': (
        <Result mark="slip" title={paymentAwaited.title} text={paymentAwaited.text}>
          <ResultActions>
            <Button>{paymentAwaited.view}</Button>
          </ResultActions>
        </Result>
      ),
      'sieve: nothing happened': (
        <Result mark="sieve" title={paymentCanceled.title} text={paymentCanceled.text}>
          <ResultActions>
            <Button>{paymentCanceled.resume}</Button>
            <Button variant="secondary">{paymentCanceled.plans}</Button>
          </ResultActions>
        </Result>
      ),
    },
  },
  PageLoading: {
    frame: 320,
    states: { waiting: <PageLoading /> },
  },
} satisfies Parts

/** One state alone in the window. */
export function Stage({ part, state }: { part: string; state: string }) {
  useEffect(() => {
    document.documentElement.lang = 'pt-BR'
  }, [])
  const framed: Parts = { ...screens, ...subscription }
  const states = framed[part]?.states
  return (
    <main className={styles.stage}>
      <h1 className="visually-hidden">{`${part}: ${state}`}</h1>
      {states?.[state]}
    </main>
  )
}

function OpenDialog(dialog: Omit<ComponentProps<typeof Dialog>, 'onClose'>) {
  const [open, setOpen] = useState(true)
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        Abrir
      </Button>
      {open && <Dialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  )
}

function LeaveForm({ busy = false }: { busy?: boolean }) {
  return (
    <Form danger texts={leave} busy={busy} onClose={() => undefined} onSubmit={() => undefined}>
      <p>Seu acesso vai até 12 de janeiro, e nada mais é cobrado.</p>
      <TextArea label="O que faltou?" hint="Opcional. Lemos tudo." />
    </Form>
  )
}

/** A toast that stays. */
function ShownMessage(toast: Toast) {
  const { show } = useToasts()
  const toasts = useShownToasts()
  const shown = () => show({ ...toast, durationMs: Number.POSITIVE_INFINITY })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(shown, [])
  return (
    <>
      <Button variant="secondary" onClick={shown}>
        Mostrar
      </Button>
      <ToastRegion toasts={toasts} />
    </>
  )
}
