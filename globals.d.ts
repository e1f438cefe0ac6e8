// DOM names that h3's declarations use and Node's lack. Without them they would be `any`.
type BodyInit = NonNullable<RequestInit['body']>;
type HeadersInit = NonNullable<RequestInit['headers']>;
