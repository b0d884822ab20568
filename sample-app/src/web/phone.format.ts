const KENYAN = /^(\+254)(\d{3})(\d{3})(\d{3})$/;

/** `+254 700 000 001`, for the customer whose number it is. */
export function formatPhone(phone: string): string {
  return phone.replace(KENYAN, '$1 $2 $3 $4');
}

/** `+254 7•• ••• 001`, for everybody else: enough to recognise, too little to call. */
export function maskPhone(phone: string): string {
  return phone.length > 8
    ? formatPhone(phone.slice(0, 5) + '•'.repeat(phone.length - 8) + phone.slice(-3)).replace(
        /^(\+\d{3})([\d•]{3})([\d•]{3})([\d•]{3})$/,
        '$1 $2 $3 $4',
      )
    : '•••';
}
