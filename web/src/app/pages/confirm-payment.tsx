export { ConfirmPayment as default } from '../../features/checkout/confirm-payment'
