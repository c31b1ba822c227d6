import { expect, test } from 'vitest'
import { afterLogin, afterSignUp } from './use-post-auth-redirect'

const isRoute = (address: string) => ['/upsell', '/planos-promo', '/area-usuario', '/login'].includes(address)
const elite = { planId: 'elite_nivel_2' }
const top = { planId: 'top_afiliado' }

test('after the sign-up the chosen plan decides first', () => {
  expect(afterSignUp({ plan: elite, returnTo: '/planos-promo' }, isRoute)).toBe('/upsell')
  expect(afterSignUp({ plan: top, returnTo: '/upsell' }, isRoute)).toBe('/account-confirmation')
  expect(afterSignUp({ plan: null, returnTo: null }, isRoute)).toBe('/account-confirmation')
  expect(afterSignUp({ plan: null, returnTo: '/planos-promo' }, isRoute)).toBe('/planos-promo')
})

test('after the sign-in the next page is the upsell with a plan, and the account without one', () => {
  expect(afterLogin({ plan: top, returnTo: null }, isRoute)).toBe('/upsell')
  expect(afterLogin({ plan: null, returnTo: null }, isRoute)).toBe('/area-usuario')
  expect(afterLogin({ plan: null, returnTo: '/planos-promo' }, isRoute)).toBe('/planos-promo')
})

test('the return address leads only to pages of the site', () => {
  for (const bad of [
    'https://mal.example',
    '//mal.example',
    '/\\mal.example',
    'javascript:alert(1)',
    '/nada',
    '/login',
    '',
  ])
    expect(afterLogin({ plan: null, returnTo: bad }, isRoute)).toBe('/area-usuario')
})
