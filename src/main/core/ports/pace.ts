/** What long work awaits between its steps, as the overlay does too. */
export type { Pace } from '#overlay'
