/** The WhatsApp field with numbers as people paste and type them. */
import { expect, test } from './screen-test'

const PASTED = [
  ['011 98765-4321', '(11) 98765-4321'],
  ['021 11 98765-4321', '(11) 98765-4321'],
  ['+55 0 11 98765-4321', '(11) 98765-4321'],
  ['00 55 51 3333-4444', '(51) 3333-4444'],
  ['(55) 21 99876-5432', '(21) 99876-5432'],
  ['559876543212', '(55) 98765-4321'],
] as const

test('a pasted number loses trunk zero, carrier and country, and 55 stays an area code', async ({ page }) => {
  await page.goto('/cadastro')
  const field = page.getByLabel('WhatsApp')
  for (const [pasted, shown] of PASTED) {
    await field.fill(pasted)
    await expect(field, pasted).toHaveValue(shown)
  }
})

test('a typed number is put in order once the field is left, and a twelfth digit is ignored', async ({
  page,
}) => {
  await page.goto('/cadastro')
  const field = page.getByLabel('WhatsApp')
  const type = async (digits: string, shown: string) => {
    await field.fill('')
    await field.pressSequentially(digits)
    await field.blur()
    await expect(field, digits).toHaveValue(shown)
  }

  await type('011987654321', '(11) 98765-4321')
  await type('02111987654321', '(11) 98765-4321')
  await type('+5511987654321', '(11) 98765-4321')
  await type('005555998765432', '(55) 99876-5432')
  await type('559133334444', '(55) 91333-3444')
  await type('5599876543210', '(55) 99876-5432')
})

test('a number of another country is refused', async ({ page }) => {
  await page.goto('/cadastro')
  await page.getByLabel('WhatsApp').fill('+1 212 555 1234')
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(page.getByText('Digite um número de WhatsApp válido com DDD.').first()).toBeVisible()
  await expect(page.getByLabel('WhatsApp')).toHaveValue('+12125551234')
})
