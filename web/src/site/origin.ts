/**
 * Stands in the built pages where the site's own address belongs: the settings know it, the build
 * does not. The gateway puts GARIMPO_PUBLIC_URL in its place (gateway/src/site/address.rs).
 */
export const ORIGIN = 'https://garimpo.invalid'

/** An address of the site as search engines and shared links want it, with scheme and host. */
export function absolute(path: string): string {
  return `${ORIGIN}${path}`
}
