/* A hand-written DOP853 with hand-derived reduced equations: what the compiled engine is measured against.

   Compiled with -DREAL=double for the race and with -DREAL="long double" for the reference. The numbers of the method come
   from a header that bench/motion.py writes (A2_1, B1, ...). Nothing of the library is used here: the robot is in the
   variables of Koiller's equations, the snakeboard in the one direction that both axles allow, the snake as a recursion along
   its links that needs no matrix but the 2 x 2 one of its free end. */

#include <math.h>
#include <string.h>
#include "dop853_numbers.h"

#define SIN(x) _Generic((x), long double: sinl, default: sin)(x)
#define COS(x) _Generic((x), long double: cosl, default: cos)(x)
#define SQRT(x) _Generic((x), long double: sqrtl, default: sqrt)(x)
#define ABS(x) _Generic((x), long double: fabsl, default: fabs)(x)
#define MOST 80

/* y = psi1 psi2 x y theta psi1' psi2', p = m m0 l J J2 R c */
static void robot(int n, const REAL *y, const REAL *p, REAL *f) {
    (void)n;
    REAL m = p[0], m0 = p[1], l = p[2], J = p[3], J2 = p[4], R = p[5], c = p[6];
    REAL s = y[5] + y[6], d = y[5] - y[6];
    REAL A = m0 * l * R * R * R / (4 * c * c);
    REAL sd = -A * d * d / (J2 + m * R * R / 2), dd = A * s * d / (J2 + J * R * R / (2 * c * c));
    REAL v = -R * s / 2;
    f[0] = y[5];
    f[1] = y[6];
    f[2] = v * COS(y[4]);
    f[3] = v * SIN(y[4]);
    f[4] = -R * d / (2 * c);
    f[5] = (sd + dd) / 2;
    f[6] = (sd - dd) / 2;
}

/* y = x y theta psi phi1 phi2 u psi' phi1' phi2', p = m l J Jr Jw;
   the board moves with (a, b, c) u: 2 cos cos, sin(phi1 + phi2), sin(phi1 - phi2)/l */
static void snakeboard(int n, const REAL *y, const REAL *p, REAL *f) {
    (void)n;
    REAL m = p[0], l = p[1], J = p[2], u = y[6];
    REAL s1 = SIN(y[4]), c1 = COS(y[4]), s2 = SIN(y[5]), c2 = COS(y[5]), st = SIN(y[2]), ct = COS(y[2]);
    REAL a = 2 * c1 * c2, b = s1 * c2 + c1 * s2, c = (s1 * c2 - c1 * s2) / l;
    REAL cp = c1 * c2 - s1 * s2, cm = c1 * c2 + s1 * s2;
    REAL ad = -2 * (s1 * c2 * y[8] + c1 * s2 * y[9]), bd = cp * (y[8] + y[9]), cd = cm * (y[8] - y[9]) / l;
    REAL ud = -u * (m * (a * ad + b * bd) + J * c * cd) / (m * (a * a + b * b) + J * c * c);
    REAL turn = cd * u + c * ud;
    f[0] = u * (a * ct - b * st);
    f[1] = u * (a * st + b * ct);
    f[2] = u * c;
    f[3] = y[7];
    f[4] = y[8];
    f[5] = y[9];
    f[6] = ud;
    f[7] = f[8] = f[9] = -turn;
}

/* y = x y q1 .. qk x' y', p = m1 .. mk J1 .. Jk l1 .. lk; P is the velocity of a joint, f and g its parts along and across
   the next link: the wheels keep f and turn g into -g, so that P goes on as f e - g n */
static void snake(int n, const REAL *y, const REAL *p, REAL *out) {
    int k = n - 4;
    REAL w0 = y[n - 2], w1 = y[n - 1];
    REAL P0 = w0, P1 = w1, D0 = 0, D1 = 0;           /* the joint's velocity, and its rate at fixed w */
    REAL a0 = 1, a1 = 0, b0 = 0, b1 = 1;             /* the joint's velocity for w = (1, 0) and (0, 1) */
    REAL M00 = 0, M01 = 0, M11 = 0, r0 = 0, r1 = 0;
    for (int i = 0; i < k; i++) {
        REAL e0 = COS(y[2 + i]), e1 = SIN(y[2 + i]), m = p[i], J = p[k + i], l = p[2 * k + i];
        REAL f = e0 * P0 + e1 * P1, g = e0 * P1 - e1 * P0, turn = -g / l;
        REAL fd = e0 * D0 + e1 * D1 + turn * g, gd = e0 * D1 - e1 * D0 - turn * f;
        REAL fa = e0 * a0 + e1 * a1, ga = e0 * a1 - e1 * a0, fb = e0 * b0 + e1 * b1, gb = e0 * b1 - e1 * b0;
        REAL I = J / (l * l);
        M00 += m * fa * fa + I * ga * ga;
        M01 += m * fa * fb + I * ga * gb;
        M11 += m * fb * fb + I * gb * gb;
        r0 -= m * fa * fd + I * ga * gd;
        r1 -= m * fb * fd + I * gb * gd;
        out[2 + i] = turn;
        P0 = f * e0 + g * e1;
        P1 = f * e1 - g * e0;
        REAL along = fd + g * turn, across = f * turn - gd;
        D0 = along * e0 - across * e1;
        D1 = along * e1 + across * e0;
        a0 = fa * e0 + ga * e1;
        a1 = fa * e1 - ga * e0;
        b0 = fb * e0 + gb * e1;
        b1 = fb * e1 - gb * e0;
    }
    REAL det = M00 * M11 - M01 * M01;
    out[0] = w0;
    out[1] = w1;
    out[n - 2] = (r0 * M11 - r1 * M01) / det;
    out[n - 1] = (r1 * M00 - r0 * M01) / det;
}

typedef void (*field)(int, const REAL *, const REAL *, REAL *);

static inline REAL biggest(REAL a, REAL b) { return a > b ? a : b; }

#define FORALL for (int i = 0; i < n; i++)
#define STAGE(k, sum)                   \
    FORALL z[i] = y[i] + h * (sum);     \
    rates(n, z, p, k);

/* returns how many steps were taken; rows (at most `room`) receive the state after each; y receives the last one */
__attribute__((always_inline)) static inline long run(field rates, int n, REAL end, REAL tolerance, REAL *y, const REAL *p,
                                                      REAL *rows, long room) {
    REAL k1[MOST], k2[MOST], k3[MOST], k4[MOST], k5[MOST], k6[MOST], k7[MOST], k8[MOST], k9[MOST], k10[MOST], k11[MOST],
        k12[MOST], z[MOST], s[MOST];
    REAL t = 0, d0 = 0, d1 = 0, d2 = 0;
    rates(n, y, p, k1);
    FORALL {
        REAL sk = tolerance * (1 + ABS(y[i]));
        d0 += (y[i] / sk) * (y[i] / sk);
        d1 += (k1[i] / sk) * (k1[i] / sk);
    }
    REAL h = (d0 <= 1e-10 || d1 <= 1e-10) ? (REAL)1e-6 : SQRT(d0 / d1) * (REAL)0.01;
    FORALL z[i] = y[i] + h * k1[i];
    rates(n, z, p, k2);
    FORALL {
        REAL sk = tolerance * (1 + ABS(y[i]));
        d2 += ((k2[i] - k1[i]) / sk) * ((k2[i] - k1[i]) / sk);
    }
    REAL steep = biggest(SQRT(d2 / n) / h, SQRT(d1 / n));
    REAL guess = steep <= 1e-15 ? biggest(1e-6, h * (REAL)1e-3) : SQRT(SQRT(SQRT((REAL)0.01 / steep)));
    h = 100 * h < guess ? 100 * h : guess;
    long taken = 0;
    int refused = 0, last = 0;
    while (!last) {
        if (t + (REAL)1.01 * h >= end) {
            h = end - t;
            last = 1;
        }
        STAGE(k2, A1_0 * k1[i])
        STAGE(k3, A2_0 * k1[i] + A2_1 * k2[i])
        STAGE(k4, A3_0 * k1[i] + A3_2 * k3[i])
        STAGE(k5, A4_0 * k1[i] + A4_2 * k3[i] + A4_3 * k4[i])
        STAGE(k6, A5_0 * k1[i] + A5_3 * k4[i] + A5_4 * k5[i])
        STAGE(k7, A6_0 * k1[i] + A6_3 * k4[i] + A6_4 * k5[i] + A6_5 * k6[i])
        STAGE(k8, A7_0 * k1[i] + A7_3 * k4[i] + A7_4 * k5[i] + A7_5 * k6[i] + A7_6 * k7[i])
        STAGE(k9, A8_0 * k1[i] + A8_3 * k4[i] + A8_4 * k5[i] + A8_5 * k6[i] + A8_6 * k7[i] + A8_7 * k8[i])
        STAGE(k10, A9_0 * k1[i] + A9_3 * k4[i] + A9_4 * k5[i] + A9_5 * k6[i] + A9_6 * k7[i] + A9_7 * k8[i] + A9_8 * k9[i])
        STAGE(k11, A10_0 * k1[i] + A10_3 * k4[i] + A10_4 * k5[i] + A10_5 * k6[i] + A10_6 * k7[i] + A10_7 * k8[i] +
                       A10_8 * k9[i] + A10_9 * k10[i])
        STAGE(k12, A11_0 * k1[i] + A11_3 * k4[i] + A11_4 * k5[i] + A11_5 * k6[i] + A11_6 * k7[i] + A11_7 * k8[i] +
                       A11_8 * k9[i] + A11_9 * k10[i] + A11_10 * k11[i])
        REAL e5 = 0, e3 = 0;
        FORALL {
            REAL b = A12_0 * k1[i] + A12_5 * k6[i] + A12_6 * k7[i] + A12_7 * k8[i] + A12_8 * k9[i] + A12_9 * k10[i] +
                     A12_10 * k11[i] + A12_11 * k12[i];
            s[i] = y[i] + h * b;
            REAL sk = 1 / (tolerance * (1 + biggest(ABS(y[i]), ABS(s[i]))));
            REAL five = (E5_0 * k1[i] + E5_5 * k6[i] + E5_6 * k7[i] + E5_7 * k8[i] + E5_8 * k9[i] + E5_9 * k10[i] +
                         E5_10 * k11[i] + E5_11 * k12[i]) * sk;
            REAL three = (b - B3_0 * k1[i] - B3_8 * k9[i] - B3_11 * k12[i]) * sk;
            e5 += five * five;
            e3 += three * three;
        }
        REAL under = e5 + (REAL)0.01 * e3;
        REAL error = under > 0 ? h * e5 / SQRT(n * under) : 0;
        REAL by = SQRT(SQRT(SQRT(error))) / (REAL)0.9;
        by = biggest((REAL)1 / 6, by < 3 ? by : 3);
        if (error > 1) {
            h /= by;
            refused = 1;
            last = 0;
            continue;
        }
        t += h;
        memcpy(y, s, n * sizeof(REAL));
        rates(n, y, p, k1);
        if (taken < room) memcpy(rows + taken * n, y, n * sizeof(REAL));
        taken++;
        if (!(refused && by < 1)) h /= by;
        refused = 0;
    }
    return taken;
}

/* whoever writes for one system knows its size */
long robot_run(int n, REAL end, REAL tolerance, REAL *y, const REAL *p, REAL *rows, long room) {
    (void)n;
    return run(robot, 7, end, tolerance, y, p, rows, room);
}
long snakeboard_run(int n, REAL end, REAL tolerance, REAL *y, const REAL *p, REAL *rows, long room) {
    (void)n;
    return run(snakeboard, 10, end, tolerance, y, p, rows, room);
}
long snake_run(int n, REAL end, REAL tolerance, REAL *y, const REAL *p, REAL *rows, long room) {
    return n == 10 ? run(snake, 10, end, tolerance, y, p, rows, room) : run(snake, n, end, tolerance, y, p, rows, room);
}
