import { Component } from 'react'
import type { Elements } from '../lib/elements'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'

/**
 * A page that broke says so and offers a fresh load; a part that it does without (`quiet`) is just
 * not there.
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
