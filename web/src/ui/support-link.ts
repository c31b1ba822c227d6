import { brand } from '../texts/brand'

/** WhatsApp support, with the message already written. */
export function supportLink(message: string): string {
  const link = new URL(brand.links.whatsapp_support)
  link.searchParams.set('text', message)
  return link.href
}
