import { useEffect, useState } from 'react'
import type { Elements } from '../lib/elements'
import { type Toast, useShownToasts, useToasts } from '../lib/toasts'
import { login } from '../texts/login'
import { paymentAwaited, paymentCanceled, paymentSuccess } from '../texts/results'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { EmptySieve } from '../ui/empty-sieve'
import { Form } from '../ui/form'
import { Notice } from '../ui/notice'
import { Result, ResultActions, ResultFacts } from '../ui/result'
import { PageLoading } from '../ui/spinner'
import { TextArea } from '../ui/text-area'
import ToastRegion from '../ui/toast'
import styles from './gallery.module.css'

const leave = {
  submit: 'Cancelar assinatura',
  submitting: 'Cancelando...',
  back: 'Manter assinatura',
}

const stages = {
  dialog: (
    <OpenDialog title="Trocar de plano?">
      <p>Seu plano muda agora, e a diferença entra na próxima fatura.</p>
      <div className="actions">
        <Button variant="quiet">Agora não</Button>
        <Button>Trocar de plano</Button>
      </div>
    </OpenDialog>
  ),
  'dialog-form': (
    <OpenDialog title="Cancelar assinatura">
      <LeaveForm />
    </OpenDialog>
  ),
  'dialog-locked': (
    <OpenDialog title="Cancelar assinatura" locked>
      <LeaveForm busy />
    </OpenDialog>
  ),
  'dialog-overlay': (
    <OpenDialog title="Seu checkout abriu em outra aba" look="overlay">
      <p>Termine o pagamento lá. Esta página segue sozinha.</p>
      <Button variant="secondary">Abrir de novo</Button>
    </OpenDialog>
  ),
  'toast-success': <ShownMessage kind="success" title={login.success} />,
  'toast-error': <ShownMessage kind="error" title={site.unheard.title} description={site.unheard.text} />,
  'toast-info': <ShownMessage kind="info" title="Você saiu da conta" description="Até a próxima." />,
  'toast-actions': (
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
  notice: (
    <Notice art={<EmptySieve />} title={site.broken.title} text={site.broken.text}>
      <Button>{site.broken.reload}</Button>
    </Notice>
  ),
  'notice-mark': (
    <Notice mark="404" title="Nada passou por esta peneira" text="O endereço não existe ou mudou de lugar.">
      <Button>Ir para o início</Button>
      <Button variant="secondary">Ver planos</Button>
    </Notice>
  ),
  'result-nugget': (
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
  'result-slip': (
    <Result mark="slip" title={paymentAwaited.title} text={paymentAwaited.text}>
      <ResultActions>
        <Button>{paymentAwaited.view}</Button>
      </ResultActions>
    </Result>
  ),
  'result-sieve': (
    <Result mark="sieve" title={paymentCanceled.title} text={paymentCanceled.text}>
      <ResultActions>
        <Button>{paymentCanceled.resume}</Button>
        <Button variant="secondary">{paymentCanceled.plans}</Button>
      </ResultActions>
    </Result>
  ),
  'page-loading': <PageLoading />,
} satisfies Record<string, Elements>

export type StageName = keyof typeof stages

/** One part alone in the window: it takes the whole screen, or stands over it. */
export function Stage({ name }: { name: string }) {
  useEffect(() => {
    document.documentElement.lang = 'pt-BR'
  }, [])
  return (
    <main className={styles.stage}>
      <h1 className="visually-hidden">{name}</h1>
      {stages[name as StageName]}
    </main>
  )
}

function OpenDialog({
  title,
  locked = false,
  look,
  children,
}: {
  title: string
  locked?: boolean
  look?: 'card' | 'overlay'
  children: Elements
}) {
  const [open, setOpen] = useState(false)
  // After the mount, because StrictMode mounts twice and a dialog closes as it leaves.
  useEffect(() => setOpen(true), [])
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        Abrir
      </Button>
      <Dialog open={open} title={title} locked={locked} look={look} onClose={() => setOpen(false)}>
        {children}
      </Dialog>
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
