import { type ComponentProps, useState } from 'react'
import { classNames } from '../lib/class-names'
import { login } from '../texts/login'
import { signUp } from '../texts/sign-up'
import { ChoicePill, choicePills } from '../ui/choice-pill'
import { ChosenPasswordField, NewPasswordFields } from '../ui/chosen-password-field'
import { EmailField } from '../ui/email-field'
import { EmailWithHint } from '../ui/email-with-hint'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Form } from '../ui/form'
import { PhoneField } from '../ui/phone-field'
import { SelectField } from '../ui/select-field'
import { StepperTabs } from '../ui/stepper-tabs'
import { TabList, Tabs } from '../ui/tabs'
import { TextArea } from '../ui/text-area'
import styles from './gallery.module.css'
import type { Parts } from './parts'

const name = { label: signUp.name, name: 'name', autoComplete: 'name' }
const reasons = ['Está caro para mim', 'Não uso o bastante', 'Vou usar outra ferramenta']

export const fields = {
  Field: {
    states: {
      empty: <Field {...name} placeholder={signUp.namePlaceholder} />,
      filled: <Field {...name} defaultValue="Ana Souza" />,
      hint: <Field {...name} hint="Como está no seu documento." />,
      error: <Field {...name} error="Digite seu nome." />,
      'read only': <Field {...name} defaultValue="Ana Souza" readOnly />,
      password: <Field label={login.password} name="password" type="password" defaultValue="garimpo-2026" />,
    },
  },
  EmailField: {
    states: {
      empty: <EmailField label={login.email} placeholder={login.emailPlaceholder} />,
      error: <EmailField label={login.email} defaultValue="ana@" error={signUp.errors.email} />,
    },
  },
  EmailWithHint: {
    states: {
      right: <TypedEmail first="ana@gmail.com" />,
      mistyped: <TypedEmail first="ana@gmial.com" />,
    },
  },
  PhoneField: {
    states: {
      'empty, hint': (
        <PhoneField
          label={signUp.whatsapp}
          placeholder={signUp.whatsappPlaceholder}
          hint={signUp.whatsappHint}
        />
      ),
      filled: <PhoneField label={signUp.whatsapp} defaultValue="11987654321" />,
      error: <PhoneField label={signUp.whatsapp} defaultValue="1198" error={signUp.errors.whatsapp} />,
    },
  },
  ChosenPasswordField: {
    states: {
      hint: <ChosenPasswordField label={signUp.password} hint={signUp.passwordHint(6)} />,
      error: <ChosenPasswordField label={signUp.password} error={signUp.errors.guessable} />,
    },
  },
  NewPasswordFields: {
    states: {
      empty: (
        <div className={styles.column}>
          <NewPasswordFields
            texts={{ password: 'Nova senha', repeated: 'Repita a nova senha' }}
            field={() => ({})}
          />
        </div>
      ),
      error: (
        <div className={styles.column}>
          <NewPasswordFields
            texts={{ password: 'Nova senha', repeated: 'Repita a nova senha' }}
            field={(of) => (of === 'repeated' ? { error: 'As senhas são diferentes.' } : {})}
          />
        </div>
      ),
    },
  },
  SelectField: {
    states: {
      'nothing chosen': <SelectField label="Motivo" none="Prefiro não dizer" options={reasons} />,
      chosen: (
        <SelectField label="Motivo" none="Prefiro não dizer" options={reasons} defaultValue={reasons[1]} />
      ),
    },
  },
  TextArea: {
    states: {
      empty: <TextArea label="O que faltou?" hint="Opcional. Lemos tudo." />,
      filled: (
        <TextArea
          label="O que faltou?"
          hint="Opcional. Lemos tudo."
          defaultValue="Queria escolher a loja de cada fila."
        />
      ),
    },
  },
  ChoicePill: {
    wide: {
      'chosen, not chosen': (
        <fieldset className={choicePills}>
          <legend className="visually-hidden">Grupos</legend>
          <ChoicePill name="groups" defaultChecked>
            Até 3 grupos
          </ChoicePill>
          <ChoicePill name="groups">Até 10 grupos</ChoicePill>
          <ChoicePill name="groups">Mais de 10</ChoicePill>
        </fieldset>
      ),
    },
  },
  Tabs: {
    states: {
      light: <LevelTabs tone="light" />,
      'notes under the names': (
        <LevelTabs tone="light" notes={[3, 6, 10].map((count) => `${count} grupos`)} />
      ),
    },
    dark: { dark: <LevelTabs tone="dark" /> },
  },
  StepperTabs: { states: { light: <NumberTabs tone="light" /> }, dark: { dark: <NumberTabs tone="dark" /> } },
  TabList: { states: { plain: <PlainTabs /> } },
  Failure: { wide: { shown: <Failure>{login.failed}</Failure> } },
  Form: {
    states: {
      'at rest': <SampleForm />,
      failed: <SampleForm failure={login.failed} />,
      busy: <SampleForm busy />,
      'in a dialog, cannot be undone': <SampleForm danger onClose={() => undefined} />,
    },
  },
} satisfies Parts

function TypedEmail({ first }: { first: string }) {
  const [email, setEmail] = useState(first)
  return <EmailWithHint label={signUp.email} value={email} onType={setEmail} />
}

function LevelTabs(look: Pick<ComponentProps<typeof Tabs>, 'tone' | 'notes'>) {
  const [selected, setSelected] = useState(0)
  return (
    <Tabs
      label="Nível do Elite"
      tabs={['Nível 1', 'Nível 2', 'Nível 3']}
      selected={selected}
      onSelect={setSelected}
      className={styles.panel}
      {...look}
    >
      <p>{`Elite Nível ${selected + 1}`}</p>
    </Tabs>
  )
}

function NumberTabs({ tone }: Pick<ComponentProps<typeof StepperTabs>, 'tone'>) {
  const [selected, setSelected] = useState(0)
  return (
    <StepperTabs
      label="Níveis do Elite PRO"
      unit="Números de WhatsApp"
      tabs={['PRO 1', 'PRO 2', 'PRO 3', 'PRO 4']}
      notes={['1 número', '2 números', '3 números', '4 números']}
      values={[1, 2, 3, 4]}
      selected={selected}
      onSelect={setSelected}
      tone={tone}
      className={styles.panel}
    >
      <p>{`Elite PRO ${selected + 1}`}</p>
    </StepperTabs>
  )
}

function PlainTabs() {
  const [selected, setSelected] = useState(0)
  return (
    <>
      <TabList
        id="plain"
        label="Soluções"
        tabs={['Promotor Automático', 'Busca com IA', 'Filas de Envio']}
        selected={selected}
        onSelect={setSelected}
        panelOf={() => 'plain-panel'}
        look={{ list: 'actions', tab: styles.tab }}
      />
      <div
        className={classNames(styles.panel)}
        id="plain-panel"
        role="tabpanel"
        aria-labelledby={`plain-tab-${selected}`}
      >
        <p>{['Cole o link.', 'Diga o que procura.', 'Cada grupo no seu ritmo.'][selected]}</p>
      </div>
    </>
  )
}

function SampleForm(
  state: Partial<Pick<ComponentProps<typeof Form>, 'busy' | 'failure' | 'danger' | 'onClose'>>,
) {
  return (
    <Form
      texts={{
        submit: state.danger ? 'Cancelar assinatura' : login.submit,
        submitting: login.submitting,
        back: 'Voltar',
      }}
      busy={false}
      onSubmit={() => undefined}
      {...state}
    >
      <Field label={login.password} name="password" type="password" />
    </Form>
  )
}
