/** Await it in a loop of short work. It lets the rest of the process run once the loop has used up its time slice. */
export type Pace = () => Promise<void> | undefined
