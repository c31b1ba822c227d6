import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'

/** What a dialog shows of the server, read when it opens; within `staleTime` only once. */
export function useDialogRead<Input extends DescMessage, Output extends DescMessage>(
  open: boolean,
  method: DescMethodUnary<Input, Output>,
  input: MessageInitShape<Input>,
  staleTime = 0,
) {
  const { data, isFetching, isError, refetch } = useQuery(method, input, { enabled: open, staleTime })
  return {
    answer: isFetching || isError ? undefined : data,
    isFailed: isError && !isFetching,
    again: () => void refetch(),
  }
}
