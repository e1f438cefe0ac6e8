import type Stripe from 'stripe';

/** The full object in Stripe's reply to each call. The compiler rejects missing members. */
export interface Replies {
  createPaymentIntent: Stripe.PaymentIntent;
  retrievePaymentIntent: Stripe.PaymentIntent;
  listPaymentIntents: Stripe.ApiList<Stripe.PaymentIntent>;
  updatePaymentIntent: Stripe.PaymentIntent;
  capturePaymentIntent: Stripe.PaymentIntent;
  cancelPaymentIntent: Stripe.PaymentIntent;
  retrieveCharge: Stripe.Charge;
  createRefund: Stripe.Refund;
  listRefunds: Stripe.ApiList<Stripe.Refund>;
  listDisputes: Stripe.ApiList<Stripe.Dispute>;
  createConnectionToken: Stripe.Terminal.ConnectionToken;
  createLocation: Stripe.Terminal.Location | Stripe.Terminal.DeletedLocation;
  retrieveLocation: Stripe.Terminal.Location | Stripe.Terminal.DeletedLocation;
  deleteLocation: Stripe.Terminal.DeletedLocation;
  createReader: Stripe.Terminal.Reader;
  retrieveReader: Stripe.Terminal.Reader;
  processPaymentIntent: Stripe.Terminal.Reader;
  presentPaymentMethod: Stripe.Terminal.Reader;
  createSetupIntent: Stripe.SetupIntent;
  retrieveSetupIntent: Stripe.SetupIntent;
  cancelSetupIntent: Stripe.SetupIntent;
  listSetupIntents: Stripe.ApiList<Stripe.SetupIntent>;
  createCustomer: Stripe.Customer;
  listCustomers: Stripe.ApiList<Stripe.Customer>;
  searchCustomers: Stripe.ApiSearchResult<Stripe.Customer>;
  createCustomerSession: Stripe.CustomerSession;
  retrieveAccount: Stripe.Account;
}
