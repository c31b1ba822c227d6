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
import { TabList, Tabs } from '../ui/tabs'
import { TextArea } from '../ui/text-area'
import styles from './gallery.module.css'
import type { Parts } from './parts'

const name = { label: signUp.name, name: 'name', autoComplete: 'name' }
const reasons = ['Está caro para mim', 'Não uso o bastante', 'Vou usar outra ferramenta']

export const fields = {
  Field: {
    use: 'A label, an input, and beside it a hint or an error. The label is never the placeholder.',
    samples: [
      { state: 'empty', content: <Field {...name} placeholder={signUp.namePlaceholder} /> },
      { state: 'filled', content: <Field {...name} defaultValue="Ana Souza" /> },
      { state: 'hint', content: <Field {...name} hint="Como está no seu documento." /> },
      { state: 'error', content: <Field {...name} error="Digite seu nome." /> },
      { state: 'read only', content: <Field {...name} defaultValue="Ana Souza" readOnly /> },
      {
        state: 'password',
        content: <Field label={login.password} name="password" type="password" defaultValue="garimpo-2026" />,
      },
    ],
  },
  EmailField: {
    use: 'No capitals and no corrections of a phone’s keyboard.',
    samples: [
      { state: 'empty', content: <EmailField label={login.email} placeholder={login.emailPlaceholder} /> },
      {
        state: 'error',
        content: <EmailField label={login.email} defaultValue="ana@" error={signUp.errors.email} />,
      },
    ],
  },
  EmailWithHint: {
    use: 'Asks about a mistyped domain. A press corrects it.',
    samples: [
      { state: 'right', content: <TypedEmail first="ana@gmail.com" /> },
      { state: 'mistyped', content: <TypedEmail first="ana@gmial.com" /> },
    ],
  },
  PhoneField: {
    use: 'Masked while it is typed.',
    samples: [
      {
        state: 'empty, hint',
        content: (
          <PhoneField
            label={signUp.whatsapp}
            placeholder={signUp.whatsappPlaceholder}
            hint={signUp.whatsappHint}
          />
        ),
      },
      { state: 'filled', content: <PhoneField label={signUp.whatsapp} defaultValue="11987654321" /> },
      {
        state: 'error',
        content: <PhoneField label={signUp.whatsapp} defaultValue="1198" error={signUp.errors.whatsapp} />,
      },
    ],
  },
  ChosenPasswordField: {
    use: 'A new password. While it breaks a rule, a live message says which.',
    samples: [
      {
        state: 'hint',
        content: <ChosenPasswordField label={signUp.password} hint={signUp.passwordHint(6)} />,
      },
      {
        state: 'error',
        content: <ChosenPasswordField label={signUp.password} error={signUp.errors.guessable} />,
      },
    ],
  },
  NewPasswordFields: {
    use: 'A new password, typed twice.',
    samples: [
      {
        state: 'empty',
        content: (
          <div className={styles.column}>
            <NewPasswordFields
              texts={{ password: 'Nova senha', repeated: 'Repita a nova senha' }}
              field={() => ({})}
            />
          </div>
        ),
      },
      {
        state: 'error',
        content: (
          <div className={styles.column}>
            <NewPasswordFields
              texts={{ password: 'Nova senha', repeated: 'Repita a nova senha' }}
              field={(of) => (of === 'repeated' ? { error: 'As senhas são diferentes.' } : {})}
            />
          </div>
        ),
      },
    ],
  },
  SelectField: {
    use: 'A choice of a short list. Its first entry chooses nothing.',
    samples: [
      {
        state: 'nothing chosen',
        content: <SelectField label="Motivo" none="Prefiro não dizer" options={reasons} />,
      },
      {
        state: 'chosen',
        content: (
          <SelectField label="Motivo" none="Prefiro não dizer" options={reasons} defaultValue={reasons[1]} />
        ),
      },
    ],
  },
  TextArea: {
    use: 'Some lines of text.',
    samples: [
      { state: 'empty', content: <TextArea label="O que faltou?" hint="Opcional. Lemos tudo." /> },
      {
        state: 'filled',
        content: (
          <TextArea
            label="O que faltou?"
            hint="Opcional. Lemos tudo."
            defaultValue="Queria escolher a loja de cada fila."
          />
        ),
      },
    ],
  },
  ChoicePill: {
    use: 'A radio button. Its group is a fieldset.',
    samples: [
      {
        state: 'chosen, not chosen',
        wide: true,
        content: (
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
    ],
  },
  Tabs: {
    use: 'Tabs over one panel. Arrows, Home and End move and select.',
    samples: [
      { state: 'light', content: <LevelTabs tone="light" /> },
      { state: 'dark', ground: 'inverse', content: <LevelTabs tone="dark" /> },
      {
        state: 'notes under the names',
        content: <LevelTabs tone="light" notes={[3, 6, 10].map((count) => ({ text: `${count} grupos` }))} />,
      },
    ],
  },
  TabList: {
    use: 'The row alone, in another look: the carousel of the solutions has one.',
    samples: [{ state: 'plain', content: <PlainTabs /> }],
  },
  Failure: {
    use: 'Why something did not happen, where it was asked for.',
    samples: [{ state: 'shown', wide: true, content: <Failure>{login.failed}</Failure> }],
  },
  Form: {
    use: 'Fields, a failure that no field stands for, and one button; in a dialog also the way back.',
    samples: [
      { state: 'at rest', content: <SampleForm /> },
      { state: 'failed', content: <SampleForm failure={login.failed} /> },
      { state: 'busy', content: <SampleForm busy /> },
      { state: 'in a dialog, cannot be undone', content: <SampleForm danger onClose={() => undefined} /> },
    ],
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
