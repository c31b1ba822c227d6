import { expect, test } from 'vitest'
import { account } from './account'
import { guarantee } from './billing'
import { privacy } from './privacy'
import { terms } from './terms'
import { trust } from './trust'

test('the steps of the guarantee name the page, the card and the button', () => {
  const [page, card] = trust.voucher.steps
  expect(page).toContain(account.title)
  expect(card).toContain(guarantee.title)
  expect(card).toContain(guarantee.open)
})

test('the links lead to sections that exist', () => {
  const ids = privacy.sections.map(({ id }) => id)
  for (const { section } of trust.privacy.items) expect(ids).toContain(section)
  expect(terms.sections.map(({ id }) => id)).toContain(trust.voucher.rules.to.split('#')[1])
})

test('security and privacy say what the policy says', () => {
  const policy = JSON.stringify(privacy.sections)
  for (const fact of [
    'não passam pelos nossos servidores',
    'senhas e sessões são guardadas apenas como códigos irreversíveis',
    'O tráfego é cifrado',
    'Não vendemos dados',
    'nada sai para elas',
    'baixar a cópia e excluir a conta você faz na hora, na área do usuário',
  ])
    expect(policy).toContain(fact)
})
