import { Component, type ReactNode } from 'react'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/notice.tsx'

const labels = strings.shell

/** A view that breaks takes nothing with it: everything is kept by the host. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly message: string | null }> {
  override state: { readonly message: string | null } = { message: null }

  static getDerivedStateFromError(error: unknown): { readonly message: string } {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  override render(): ReactNode {
    if (this.state.message === null) return this.props.children
    return (
      <main role="alert" className="pt-[20vh]">
        <Empty
          title={labels.crashTitle}
          detail={`${labels.crashDetail} (${this.state.message})`}
          action={<Button onClick={() => location.reload()}>{labels.reload}</Button>}
        />
      </main>
    )
  }
}
