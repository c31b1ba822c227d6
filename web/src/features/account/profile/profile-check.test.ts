import { expect, test } from 'vitest'
import { checkProfile, photoAddress } from './profile-check'

const ana = { name: 'Ana Souza', whatsapp: '', photo: '' }

test('each rule of the profile has its message', () => {
  expect(checkProfile(ana)).toBeNull()
  expect(checkProfile({ ...ana, whatsapp: '11987654321', photo: 'https://exemplo.com/a.png' })).toBeNull()
  expect(checkProfile({ ...ana, name: '  ' })).toMatchObject({ field: 'name' })
  expect(checkProfile({ ...ana, whatsapp: '119876' })).toMatchObject({
    field: 'whatsapp',
    message: 'Digite um número de WhatsApp válido com DDD.',
  })
  expect(checkProfile({ ...ana, photo: 'http://exemplo.com/a.png' })).toMatchObject({
    field: 'photo',
    message: 'Use um endereço que comece com https://.',
  })
})

test('the photo is a complete https URL of at most 2048 characters', () => {
  expect(photoAddress(' https://exemplo.com/a.png ')).toBe('https://exemplo.com/a.png')
  for (const wrong of [
    '',
    'exemplo.com/a.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'https://',
  ])
    expect(photoAddress(wrong), wrong).toBeNull()
  expect(photoAddress(`https://exemplo.com/${'a'.repeat(2048)}`)).toBeNull()
})
