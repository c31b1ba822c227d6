/** What the build calls to render pages. */
export { renderFrame } from './app/prerender'
export * from './site/entry-server'
