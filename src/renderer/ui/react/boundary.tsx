import { Component, type ReactNode } from 'react'

interface BoundaryProps {
  readonly children: ReactNode
  /** Shown in place of the children after one of them threw. `retry` draws them again. */
  readonly fallback: (message: string, retry: () => void) => ReactNode
  /** The children are drawn again when this changes. Compared by identity. */
  readonly resetKey?: unknown
}

interface BoundaryState {
  /** Null while nothing has thrown. */
  readonly message: string | null
  readonly resetKey: unknown
}

/** Keeps an error of its children to itself, so that what is beside them stays on the screen. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { message: null, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Pick<BoundaryState, 'message'> {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  static getDerivedStateFromProps({ resetKey }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return Object.is(resetKey, state.resetKey) ? null : { message: null, resetKey }
  }

  override render(): ReactNode {
    const { message } = this.state
    if (message === null) return this.props.children
    return this.props.fallback(message, () => this.setState({ message: null }))
  }
}
