import { Component } from 'react'
import type { Elements } from '../lib/elements'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'

/**
 * Shows an error with a reload button in place of a broken page, and nothing in place of a broken
 * optional part (`quiet`).
 */
export class ErrorBoundary extends Component<{ children: Elements; quiet?: boolean }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    if (!this.state.broken) return this.props.children
    return this.props.quiet ? null : <BrokenPage />
  }
}

export function BrokenPage() {
  return (
    <Notice title={site.broken.title} text={site.broken.text}>
      <title>{site.broken.title}</title>
      <Button onClick={() => location.reload()}>{site.broken.reload}</Button>
    </Notice>
  )
}
