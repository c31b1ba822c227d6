import { Component, type ReactNode } from 'react'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'

/** A page that broke says so and offers a fresh load; the rest of the site stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override componentDidCatch(cause: unknown) {
    console.error('a page broke', cause)
  }

  override render() {
    if (!this.state.broken) return this.props.children
    return (
      <Notice title={site.broken.title} text={site.broken.text}>
        <Button onClick={() => location.reload()}>{site.broken.reload}</Button>
      </Notice>
    )
  }
}
