import { paths } from '../../lib/paths'
import { bio, bioUtm } from '../../texts/bio'
import { brand } from '../../texts/brand'

/** The links of /bio, in order. */
export const bioLinks: readonly { label: string; url: string }[] = [
  { label: bio.links.site, url: withUtm(paths.home) },
  { label: bio.links.trial, url: withUtm(paths.plans) },
  { label: bio.links.coupon, url: withUtm(`${paths.promoPlans}?promo=novo`) },
  { label: bio.links.agent, url: withUtm(brand.links.whatsapp_sales) },
  { label: bio.links.support, url: withUtm(brand.links.whatsapp_support) },
  { label: bio.links.help, url: withUtm(brand.links.help_center) },
]

/** The address with the page's utm values beside the query that it has. */
export function withUtm(address: string): string {
  const [, before = '', query, hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(address) ?? []
  const utm = new URLSearchParams(bioUtm).toString()
  return `${before}?${query ? `${query}&` : ''}${utm}${hash}`
}
