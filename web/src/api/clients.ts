import { createClient, type Transport } from '@connectrpc/connect'
import { AuthService } from '../gen/garimpo/auth/v1/auth_service_pb'
import { BillingService } from '../gen/garimpo/billing/v1/billing_service_pb'
import { TrackingService } from '../gen/garimpo/tracking/v1/tracking_service_pb'
import { UserService } from '../gen/garimpo/users/v1/user_service_pb'
import { backgroundTransport, transport } from './transport'

const clientsOf = (transport: Transport) => ({
  auth: createClient(AuthService, transport),
  users: createClient(UserService, transport),
  billing: createClient(BillingService, transport),
  tracking: createClient(TrackingService, transport),
})

/** One client per service. Reached through `call` alone, which loads this module on demand. */
export const clients = clientsOf(transport)
export const backgroundClients = clientsOf(backgroundTransport)

export { toAppError } from './error-reason'
