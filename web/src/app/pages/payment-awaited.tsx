export { PaymentAwaited as default } from '../../features/checkout/payment-awaited'
