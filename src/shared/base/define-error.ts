/** An error that callers tell apart by its code. The message is a sentence for a person. */
interface CodedError<Code extends string> extends Error {
  readonly code: Code
}

/** Makes the class of such errors. `name` is what logs call it. */
export function defineError<Code extends string>(name: string): new (code: Code, message: string) => CodedError<Code> {
  return class extends Error implements CodedError<Code> {
    override readonly name = name
    readonly code: Code

    constructor(code: Code, message: string) {
      super(message)
      this.code = code
    }
  }
}
