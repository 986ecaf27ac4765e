/* Decimal numbers, exactly as Python's float() and int() read them, or not at all.
 *
 * No function of the C library reads them: strtod looks at the locale and at the byte behind the
 * text. What cannot be worked out here with certainty is left to Python (SLOW_NUMBER).
 */
#ifndef FOVEAL_NUMBERS_H
#define FOVEAL_NUMBERS_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum number { NO_NUMBER, NUMBER, SLOW_NUMBER };

/* Where the compiler rounds twice, as the 387 does, no product is exact. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define FOVEAL_ROUNDS_ONCE 1
#else
#define FOVEAL_ROUNDS_ONCE 0
#endif

/* 19 digits fit 64 bits, 18 digits also with a sign. */
#define FOVEAL_DIGITS_IN_WORD 19
#define FOVEAL_DIGITS_IN_INTEGER 18
/* Larger exponents are infinite or zero, which Python decides. */
#define FOVEAL_LARGEST_EXPONENT 9999
/* Every power of ten up to this one is exact in 53 bits. */
#define FOVEAL_EXACT_POWER 22
/* Every power of five up to this one fits 64 bits. */
#define FOVEAL_POWER_IN_WORD 27

static inline int is_digit(uint8_t byte)
{
    return (uint8_t)(byte - '0') < 10;
}

/* Digits from p on, appended to a number; where they end. Too many of them overflow, unseen. */
static inline const uint8_t *read_digits(const uint8_t *p, const uint8_t *end, uint64_t *number)
{
    uint64_t value = *number;
    for (; p < end && is_digit(*p); p++)
        value = 10 * value + (uint8_t)(*p - '0');
    *number = value;
    return p;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 foveal_wide;

static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* A mantissa above 0 divided by 10^power, correctly rounded.
 *
 * The quotient by 5^power has more than 64 bits. Of those behind the first 64, rounding to 53 must
 * know only whether any is set, and so of the remainder: the last bit that is kept says so.
 */
static inline double divided_by_power(uint64_t mantissa, int power)
{
    static const uint64_t five_to[FOVEAL_POWER_IN_WORD + 1] = {
        UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125), UINT64_C(625), UINT64_C(3125),
        UINT64_C(15625), UINT64_C(78125), UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625),
        UINT64_C(48828125), UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625),
        UINT64_C(30517578125), UINT64_C(152587890625), UINT64_C(762939453125),
        UINT64_C(3814697265625), UINT64_C(19073486328125), UINT64_C(95367431640625),
        UINT64_C(476837158203125), UINT64_C(2384185791015625), UINT64_C(11920928955078125),
        UINT64_C(59604644775390625), UINT64_C(298023223876953125), UINT64_C(1490116119384765625),
        UINT64_C(7450580596923828125),
    };
    int shift = __builtin_clzll(mantissa);
    foveal_wide dividend = (foveal_wide)(mantissa << shift) << 64;
    foveal_wide quotient = dividend / five_to[power];
    int cut = 64 - __builtin_clzll((uint64_t)(quotient >> 64));
    uint64_t leading = (uint64_t)(quotient >> cut);
    leading |= (foveal_wide)leading << cut != quotient || quotient * five_to[power] != dividend;
    return (double)leading * power_of_two(cut - 64 - shift - power);
}
#endif

/* A mantissa times a power of ten if the result is sure to be the nearest double. */
static inline enum number scaled(uint64_t mantissa, int power, double *value)
{
    static const double ten_to[FOVEAL_EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    if (!FOVEAL_ROUNDS_ONCE)
        return SLOW_NUMBER;
    if (mantissa >> DBL_MANT_DIG == 0 && power <= 0 && power >= -FOVEAL_EXACT_POWER) {
        *value = (double)mantissa / ten_to[-power];
        return NUMBER;
    }
    if (mantissa >> DBL_MANT_DIG == 0 && power > 0 && power <= FOVEAL_EXACT_POWER) {
        *value = (double)mantissa * ten_to[power];
        return NUMBER;
    }
#ifdef __SIZEOF_INT128__
    if (mantissa && power <= 0 && power >= -FOVEAL_POWER_IN_WORD) {
        *value = divided_by_power(mantissa, -power);
        return NUMBER;
    }
#endif
    return SLOW_NUMBER;
}

/* The number in a field: sign, digits with a point among or beside them, exponent. */
static inline enum number read_number(const uint8_t *p, const uint8_t *end, double *value)
{
    int is_negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    uint64_t mantissa = 0, exponent = 0;
    const uint8_t *start = p;
    p = read_digits(p, end, &mantissa);
    size_t digits = (size_t)(p - start), decimals = 0;
    if (p < end && *p == '.') {
        start = ++p;
        p = read_digits(p, end, &mantissa);
        decimals = (size_t)(p - start);
    }
    digits += decimals;
    int exponent_is_negative = 0, is_long = digits > FOVEAL_DIGITS_IN_WORD;
    if (digits && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        exponent_is_negative = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+'))
            p++;
        start = p;
        p = read_digits(p, end, &exponent);
        if (p == start)
            return NO_NUMBER;
        is_long |= p - start > FOVEAL_DIGITS_IN_WORD || exponent > FOVEAL_LARGEST_EXPONENT;
    }
    if (p != end || digits == 0)
        return NO_NUMBER;
    if (is_long)
        return SLOW_NUMBER;
    int power = (exponent_is_negative ? -(int)exponent : (int)exponent) - (int)decimals;
    enum number outcome = scaled(mantissa, power, value);
    if (outcome == NUMBER && is_negative)
        *value = -*value;
    return outcome;
}

/* A whole number without a sign; false if it is none, or too long to be sure of. */
static inline int read_whole(const uint8_t *p, const uint8_t *end, int64_t *value)
{
    uint64_t number = 0;
    if (p == end || end - p > FOVEAL_DIGITS_IN_INTEGER || read_digits(p, end, &number) != end)
        return 0;
    *value = (int64_t)number;
    return 1;
}

/* A whole number of 64 bits with or without a sign; false if it is none. */
static inline int read_integer(const uint8_t *p, const uint8_t *end, int64_t *value)
{
    int is_negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    while (end - p > 1 && *p == '0')
        p++;
    uint64_t number = 0, largest = (uint64_t)INT64_MAX + (uint64_t)is_negative;
    if (p == end || end - p > FOVEAL_DIGITS_IN_WORD || read_digits(p, end, &number) != end)
        return 0;
    if (number > largest)
        return 0;
    *value = (int64_t)(is_negative ? 0 - number : number);
    return 1;
}

#endif
