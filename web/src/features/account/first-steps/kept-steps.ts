/** Stored as the account and the numbers of its done steps: 'usr_1 0 2'. */
export function doneSteps(stored: string | null, uid: string): readonly number[] {
  const [owner, ...numbers] = stored?.split(' ') ?? []
  return owner === uid ? numbers.map(Number) : []
}

export function storedSteps(uid: string, done: readonly number[]): string {
  return [uid, ...done].join(' ')
}
